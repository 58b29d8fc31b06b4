import type { Completion } from '../completion/completion.types';
import { toldFindings } from '../disclosure/told-findings';
import type { AnswerLedger } from './answer-ledger';

/**
 * Runs the assistant's check tools on the finished answer. The record gets their results; the caller gets events with
 * `toldFindings`. Never rejects.
 */
export async function checkAnswer({ run, secrets }: Completion, ledger: AnswerLedger, text: string): Promise<void> {
  const { prepared } = ledger;
  if (prepared?.afterAnswer === undefined || run.signal.aborted) return;
  const { results, usage } = await prepared.afterAnswer(text);
  ledger.spend(usage);
  ledger.checked(results);
  for (const result of results) {
    if (result.status !== 'completed' || result.preview === '') continue;
    const { index, plugin, placeholder } = result;
    const message = `🔎 Checked the answer: ${plugin}`;
    const told = toldFindings(result.preview, text, secrets);
    run.emit({ type: 'answer.checked', index, plugin, placeholder, result: told, message });
  }
}
