import type { ChatMessage, Source } from '../kernel';
import type { RunReport } from './report/report.types';

/** What floor 10 makes of a request: the final messages for the model, and how they came to be. */
export interface PreparedPrompt {
  readonly messages: readonly ChatMessage[];
  /** Once each, in tool order. */
  readonly sources: readonly Source[];
  readonly report: RunReport;
}
