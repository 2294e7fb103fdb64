"""python -m services.orchestrator"""

from services.common.server import run_service
from services.orchestrator.bootstrap import build
from services.orchestrator.settings import OrchestratorSettings

if __name__ == "__main__":
    run_service("orchestrator", OrchestratorSettings, build)
