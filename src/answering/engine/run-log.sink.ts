import type { RunsService } from '../../runs';
import type { AnswerEvent } from '../completion/answer-event.types';
import type { Completion } from '../completion/completion.types';

/** Records the run at the end of its answer, before the client's sink: a client that reads the end finds the record. */
export const runLogSink =
  ({ run }: Completion, runs: RunsService) =>
  (event: AnswerEvent): void => {
    if (event.type === 'finished' || event.type === 'failed') runs.finish(run, event.record);
  };
