"""LiteLLM's callback that logs what each request cost, in place of the spend in its database."""

import json

from litellm.integrations.custom_logger import CustomLogger


class CostLog(CustomLogger):
    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        record = {
            "model": kwargs["model"],
            "cost_usd": kwargs["response_cost"],
            "seconds": (end_time - start_time).total_seconds(),
        }
        print(json.dumps(record), flush=True)


cost_log = CostLog()
