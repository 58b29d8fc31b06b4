import { isJsonObject } from '../../kernel';
import { redactText } from '../report/redact';
import { type Recording, type RunFacts, UNKEPT_REASONS, type UnkeptReason } from '../run/run-facts.types';

/** Characters of the JSON text. Longer conversations with pictures are not kept. */
const MOST_CHARS = 2_000_000;
const VERSION = 1;

/** JSON text for the column: as text, members keep their order, and with it the bytes of a prompt. */
export function recordingText(facts: RunFacts, secrets: readonly string[]): string {
  const { request, instruction, definition, prompt, fixed, functions, answer } = facts;
  if (prompt === null) return unkept('no_prompt');
  const recording: Recording = { request, instruction, definition, prompt, fixed, functions, answer };
  const text = JSON.stringify({ v: VERSION, ...recording });
  if (text.length > MOST_CHARS) return unkept('too_large');
  // A redacted prompt would not be the prompt.
  return redactText(text, secrets) === text ? text : unkept('secret');
}

const unkept = (reason: UnkeptReason): string => JSON.stringify({ v: VERSION, unkept: reason });

/** The recording, or why there is none. `deleted`: by retention, or the run is of an earlier release. */
export function readRecording(text: string | null): Recording | UnkeptReason | 'deleted' {
  if (text === null) return 'deleted';
  const read: unknown = JSON.parse(text);
  if (!isJsonObject(read) || read['v'] !== VERSION) return 'deleted';
  const { v: _version, unkept: reason, ...recording } = read;
  return UNKEPT_REASONS.find((known) => known === reason) ?? (recording as unknown as Recording);
}
