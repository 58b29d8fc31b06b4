import { AppError } from '../kernel';
import type { ModelCall, RunMeter } from '../metering';
import { type ConnectionOutcome, outcomeOf } from '../organizations';
import type { Connector, ModelCallContext, ModelChunk, ModelRequest } from './contract';

interface Metered {
  readonly provider: string;
  readonly meterOf: (runId: string) => RunMeter | Promise<RunMeter>;
  /** Called with the outcome of each call, except of calls whose reader went away. */
  readonly note: (outcome: ConnectionOutcome) => void;
}

/** Counts every call of one provider in the meter of its run, and notes how it ended. */
export function meteredConnector(connector: Connector, { provider, meterOf, note }: Metered): Connector {
  const fail = (call: ModelCall, startedAt: number, error: unknown): void => {
    call.fail(error);
    if (error instanceof AppError && error.code !== 'cancelled') note(outcomeOf(startedAt, error));
  };
  const begin = async (request: ModelRequest, { runId }: ModelCallContext): Promise<[RunMeter, ModelCall]> => {
    const meter = await meterOf(runId);
    return [meter, await meter.begin(provider, request)];
  };
  return {
    definition: connector.definition,
    async complete(request, target, context) {
      const [meter, call] = await begin(request, context);
      const startedAt = performance.now();
      try {
        const answer = await connector.complete(request, target, context);
        call.receive({ ...answer, calls: answer.calls.map((each) => each.function) });
        note(outcomeOf(startedAt, null));
        return answer;
      } catch (error) {
        fail(call, startedAt, error);
        throw error;
      } finally {
        meter.end(call);
      }
    },
    async *stream(request, target, context): AsyncGenerator<readonly ModelChunk[]> {
      const [meter, call] = await begin(request, context);
      const startedAt = performance.now();
      try {
        for await (const batch of connector.stream(request, target, context)) {
          for (const chunk of batch) call.receiveChunk(chunk);
          const extended = meter.extend(call);
          if (extended !== null) await extended;
          yield batch;
        }
        note(outcomeOf(startedAt, null));
      } catch (error) {
        fail(call, startedAt, error);
        throw error;
      } finally {
        meter.end(call);
      }
    },
  };
}
