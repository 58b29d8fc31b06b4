import { AppError } from '@bellwether/kernel';
import type { RunsService } from '../../runs';
import type { AnswerModels } from '../admission/answer-models.service';
import type { AnswerEvent, Completion } from '../completion.types';
import { AnswerPipeline } from './answer-pipeline.service';
import type { AnswerTelemetry } from './answer-telemetry';

/** A pipeline whose model cannot be resolved. */
function failing() {
  const order: string[] = [];
  const quiet = { emit: () => undefined, abort: () => undefined, signal: new AbortController().signal };
  const settle = ({ failed }: { readonly failed: boolean }): void => void order.push(`failed: ${failed}`);
  const completion = {
    assistant: { id: 1, organizationId: 'o', document: { functions: [], pipeline: [], llm: null } },
    run: {
      id: 'r',
      startedMono: 0,
      abortReason: null,
      isClosed: false,
      background: false,
      input: { caller: {} },
      ...quiet,
    },
    request: { messages: [], params: {}, metadata: {} },
    definition: {},
    instruction: null,
    secrets: [],
    depth: 0,
    recorded: null,
    wantsReport: false,
    hidesSources: false,
    budget: { spend: () => undefined },
    meter: { cheaper: null, settle },
    leave: () => void order.push('place is free'),
  } as unknown as Completion;
  const models = { resolve: () => Promise.reject(new AppError('not_found', 'no such model')) };
  const runs = { finish: () => void order.push('run is recorded') };
  const watch = { within: (_: unknown, work: () => unknown) => work(), ended: () => void order.push('measured') };
  const unused = null as never;
  const pipeline = new AnswerPipeline(
    unused,
    models as unknown as AnswerModels,
    unused,
    unused,
    unused,
    runs as unknown as RunsService,
    watch as unknown as AnswerTelemetry,
  );
  const events: AnswerEvent[] = [];
  const answered = pipeline.answer(completion, (event) => void events.push(event));
  const answer = Promise.resolve(answered).then(() => events.at(-1));
  return { answer, order };
}

it('an answer settles its reservation before it ends, is recorded and frees its place', async () => {
  const { answer, order } = failing();
  expect(await answer).toMatchObject({ type: 'failed', error: { code: 'not_found' } });
  expect(order).toEqual(['failed: true', 'measured', 'run is recorded', 'place is free']);
});
