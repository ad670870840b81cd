import { providerContract } from "../../../contracts/provider.contract.js";
import { OPENAI_DIALECT } from "../../../contracts/provider-dialects/openai.js";

providerContract(OPENAI_DIALECT);
