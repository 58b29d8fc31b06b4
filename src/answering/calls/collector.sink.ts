import type { Observable } from 'rxjs';
import type { Source, Usage } from '../../kernel';
import type { RunOutcome } from '../../runs';
import type { AnswerEvent } from '../completion/answer-event.types';
import { joinedTexts } from '../completion/joined-texts';

export interface CollectedAnswer {
  readonly text: string;
  /** Once each, in tool order. */
  readonly sources: readonly Source[];
  /** Sum of all model requests; null when no vendor reports usage. */
  readonly usage: Usage | null;
  readonly finishReason: string;
}

/** Collects the whole answer. @throws AppError */
export function collected(
  answer: Observable<AnswerEvent>,
  onEnded?: (record: RunOutcome) => void,
): Promise<CollectedAnswer> {
  const texts: string[] = [];
  return new Promise((resolve, reject) => {
    answer.subscribe({
      next: (event) => {
        if (event.type === 'message') texts.push(event.answer.text);
        else if (event.type === 'report') texts.push(event.markdown);
        else if (event.type === 'finished' || event.type === 'failed') onEnded?.(event.record);
        if (event.type === 'failed') reject(event.error);
        if (event.type !== 'finished') return;
        const { sources = [], usage = null, finishReason } = event.record;
        resolve({ text: joinedTexts(texts), sources, usage, finishReason: finishReason ?? 'stop' });
      },
      error: reject,
    });
  });
}
