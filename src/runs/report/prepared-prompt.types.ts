import type { ChatMessage, Source, SourcePassage, Usage } from '../../kernel';
import type { ReportResult, RunReport } from './report.types';

/** Results of the tools of the phase `answer`, which never change the answer. */
export interface AnswerChecks {
  /** One per tool in document order, with whole contents, for the report. */
  readonly results: readonly ReportResult[];
  /** Tokens spent by the tools. */
  readonly usage: Usage | null;
}

/** The final messages for the model, with the account of their preparation. */
export interface PreparedPrompt {
  readonly messages: readonly ChatMessage[];
  /** Once each, in tool order. */
  readonly sources: readonly Source[];
  /** Texts that the tools found, in tool order. */
  readonly passages: readonly SourcePassage[];
  readonly report: RunReport;
  /** Whether the material fits the question; absent for assistants that fetch none. */
  readonly fit?: 'fits' | 'nothing' | 'unread';
  /** Tokens spent by tools before the model request. */
  readonly usage?: Usage | null;
  /** Checks the finished answer, once; its tools emit events. Never rejects. Absent without check tools. */
  readonly afterAnswer?: (answer: string) => Promise<AnswerChecks>;
}
