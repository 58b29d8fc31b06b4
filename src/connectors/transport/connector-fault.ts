import { AppError, type ErrorCode } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import { UpstreamFailure } from './upstream-failure';

const logger = new Logger('Connectors');

/** Code and text for the asker, by what the connector's own code was doing. */
const STEPS = {
  ask: ['upstream_error', 'The connector could not ask the model vendor'],
  read: ['upstream_bad_response', 'The connector cannot read the answer of the model vendor'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>;

interface Running {
  readonly connector: string;
  /** Null outside of a run. */
  readonly runId: string | null;
  readonly step: keyof typeof STEPS;
}

/**
 * Maps an exception of a connector's own code, which may be a plugin's. One that the contract does not name is a defect: it
 * is logged with its stack, and never looks like a lost connection.
 */
export function connectorFault(error: unknown, { connector, runId, step }: Running): Error {
  if (error instanceof AppError || error instanceof UpstreamFailure) return error;
  logger.warn({ msg: 'a connector failed', connector, step, run_id: runId, err: error });
  const [code, detail] = STEPS[step];
  return new AppError(code, detail, { cause: error });
}

/** Runs a connector's own code. @throws AppError, UpstreamFailure */
export function inConnector<T>(running: Running, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw connectorFault(error, running);
  }
}
