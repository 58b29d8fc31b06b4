import type { Observable } from 'rxjs';
import type { AnswerEvent } from '../completion/answer-event.types';
import type { Backpressure } from '../completion/backpressure';
import type { Completion } from '../completion/completion.types';
import { logBrokenAnswer } from '../engine/answer-failure';

/** Between the texts of two rounds. */
const BREAK = '\n\n';

/** Writes the answer to the log of a background run, with back-pressure from the database. Resolves when the run has ended. */
export function logged(
  answer: Observable<AnswerEvent>,
  { run }: Pick<Completion, 'run'>,
  pressure: Backpressure,
): Promise<void> {
  let lead = '';
  let hasText = false;
  const tell = (text: string): void => {
    if (text === '') return;
    run.emit({ type: 'llm.delta', text: lead + text });
    lead = '';
    hasText = true;
  };
  return new Promise((resolve, reject) => {
    answer.subscribe({
      next: (event) => {
        if (event.type === 'round') lead = hasText ? BREAK : '';
        else if (event.type === 'report') tell(event.markdown);
        else if (event.type === 'failed') logBrokenAnswer(run.id, event.error, event.cause);
        if (event.type !== 'delta') return;
        for (const { text } of event.chunks) tell(text);
        pressure.hold(run.drained());
      },
      error: reject,
      complete: resolve,
    });
  });
}
