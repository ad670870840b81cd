import { providerContract } from "../../../contracts/provider.contract.js";
import { ANTHROPIC_DIALECT } from "../../../contracts/provider-dialects/anthropic.js";

providerContract(ANTHROPIC_DIALECT);
