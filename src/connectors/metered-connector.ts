import { AppError } from '../kernel';
import type { ModelCall, RunMeter } from '../metering';
import { type ConnectionOutcome, outcomeOf } from '../organizations';
import { currentSpan, inSpan, type Span } from '../infrastructure/context';
import type { Connector, ModelAnswer, ModelCallContext, ModelChunk, ModelRequest, ModelTarget } from './contract';
import { beginModelSpan, endModelSpan, iterateIn, ToldAnswer } from './model-span';

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
      const span = spanOf(provider, request, target);
      const startedAt = performance.now();
      let answer: ModelAnswer | null = null;
      try {
        answer = await inSpan(span, () => connector.complete(request, target, context));
        call.receive({ ...answer, calls: answer.calls.map((each) => each.function) });
        note(outcomeOf(startedAt, null));
        return answer;
      } catch (error) {
        fail(call, startedAt, error);
        throw error;
      } finally {
        meter.end(call);
        endModelSpan(span, call, answer);
      }
    },
    async *stream(request, target, context): AsyncGenerator<readonly ModelChunk[]> {
      const [meter, call] = await begin(request, context);
      const span = spanOf(provider, request, target);
      const told = span === null ? null : new ToldAnswer(span.capturesContents);
      const startedAt = performance.now();
      const ask = () => connector.stream(request, target, context);
      try {
        for await (const batch of iterateIn(span, ask)) {
          for (const chunk of batch) call.receiveChunk(chunk);
          told?.add(batch);
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
        endModelSpan(span, call, told);
      }
    },
  };
}

/** Null while no trace is recorded. */
function spanOf(provider: string, { model, messages }: ModelRequest, { baseUrl }: ModelTarget): Span | null {
  const parent = currentSpan();
  return parent === null ? null : beginModelSpan(parent, { operation: 'chat', provider, model, baseUrl, messages });
}
