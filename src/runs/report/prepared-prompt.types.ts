import type { ChatMessage, Source, Usage } from '../../kernel';
import type { ReportResult, RunReport } from './report.types';

/** What the tools of the phase `answer` found. They report and never change the answer. */
export interface AnswerChecks {
  /** One per tool, in document order, with whole contents; for the report. */
  readonly results: readonly ReportResult[];
  /** Tokens that they spent. */
  readonly usage: Usage | null;
}

/** What floor 10 makes of a request: the final messages for the model, and how they came to be. */
export interface PreparedPrompt {
  readonly messages: readonly ChatMessage[];
  /** Once each, in tool order. */
  readonly sources: readonly Source[];
  readonly report: RunReport;
  /** Tokens that the tools spent before the model is asked. */
  readonly usage?: Usage | null;
  /** Looks at the finished answer, once; its tools tell of themselves by events. Never rejects. Absent: nothing looks. */
  readonly afterAnswer?: (answer: string) => Promise<AnswerChecks>;
}
