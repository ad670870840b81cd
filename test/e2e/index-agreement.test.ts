import { indexDecisionsContract } from "../contracts/index-decisions.contract.js";

indexDecisionsContract("ivf");
