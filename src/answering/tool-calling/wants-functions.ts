/** Reasons for which an answer broke off: its calls may be half of what the model meant. */
const BROKEN_OFF: ReadonlySet<string> = new Set(['length', 'content_filter']);

/** Whether an answer is to be followed by a round of calls. Vendors do not agree on the finish reason: the calls decide. */
export const wantsFunctions = (calls: number, finishReason: string): boolean =>
  calls > 0 && !BROKEN_OFF.has(finishReason);
