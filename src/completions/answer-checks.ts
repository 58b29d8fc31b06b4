import { addUsage } from '../kernel';
import type { Completion, ModelCall } from './completion.types';
import { toldFindings } from './told-findings';
import { joinedTexts } from './whole-body';

/** A model call whose answers are heard on their way to the writer, and what they said together so far. */
export interface HeardCall {
  readonly call: ModelCall;
  readonly text: () => string;
}

export function heard(call: ModelCall): HeardCall {
  const texts: string[] = [];
  return {
    text: () => joinedTexts(texts),
    call: {
      model: call.model,
      complete: async (request) => {
        const answer = await call.complete(request);
        texts.push(answer.text);
        return answer;
      },
      stream: async function* (request) {
        const at = texts.push('') - 1;
        for await (const batch of call.stream(request)) {
          for (const chunk of batch) texts[at] += chunk.text;
          yield batch;
        }
      },
    },
  };
}

/**
 * Has the finished answer looked at by the tools that are there for that. What they find is kept in the record, and told by
 * events as far as whoever reads the answer may know it; nothing of the answer changes, whatever they find. Never rejects.
 */
export async function checkAnswer({ facts, run, budget, depth, secrets }: Completion, text: string): Promise<void> {
  const { prepared } = facts;
  if (prepared?.afterAnswer === undefined || run.signal.aborted) return;
  const { results, usage } = await prepared.afterAnswer(text);
  facts.usage = addUsage(facts.usage, usage);
  // A run under another leaves that to the other one.
  if (depth === 0) budget.spend(usage);
  facts.checks.push(...results);
  for (const result of results) {
    if (result.status !== 'completed' || result.preview === '') continue;
    const { index, plugin, placeholder } = result;
    const message = `🔎 Checked the answer: ${plugin}`;
    const told = toldFindings(result.preview, text, secrets);
    run.emit({ type: 'answer.checked', index, plugin, placeholder, result: told, message });
  }
}
