import { jsonOf, received, refused, type Schema } from '$lib/kit/api/client';
import type { Source } from './run-events';

/** A piece of the filled template: what its author wrote, or what stands in one of its slots. */
export interface PromptPart {
  /** Name of the slot, without braces; absent for the author's own text. */
  readonly slot?: string;
  /** Position in the assistant's tools of the tool that filled it. */
  readonly index?: number;
  /** Long contents are cut. */
  readonly text: string;
  /** Length of the whole content, in UTF-16 units. */
  readonly chars: number;
}

/** Result of one tool. */
export interface StepResult {
  readonly index: number;
  readonly status: 'completed' | 'failed' | 'skipped';
  /** Long contents are cut. */
  readonly preview: string;
  /** UTF-16 units of the whole content. */
  readonly chars: number;
  /** Numbers of its sources in the run. */
  readonly source_numbers?: readonly number[];
  /** The query, where it is not the question. */
  readonly query?: string;
  readonly code?: string;
  readonly message?: string;
}

/** A function call of the model. */
export interface StepCall {
  readonly index: number;
  readonly round: number;
  readonly name: string;
  /** JSON as the model wrote it. */
  readonly arguments: string;
  /** Text that the model read; long results are cut. */
  readonly preview: string;
  readonly chars: number;
  /** Numbers of its sources in the run. */
  readonly source_numbers?: readonly number[];
  readonly code?: string;
}

/** Report of a run, as `GET /api/v1/runs/{id}/report` tells it; who may not edit the assistant gets less. */
export interface RunReport {
  readonly orchestrator: string | null;
  readonly assistant?: { readonly id: number };
  readonly request: { readonly user_message: string };
  readonly tools: readonly {
    readonly index: number;
    readonly plugin: string;
    readonly placeholder: string | null;
    readonly label?: string;
    readonly enabled: boolean;
    readonly config?: unknown;
  }[];
  readonly results?: readonly StepResult[];
  readonly calls?: readonly StepCall[];
  readonly sources: readonly Source[];
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly prompt?: readonly PromptPart[];
  /** The model vendor's answer when it failed. */
  readonly vendor_failure?: Schema<'VendorFailureDto'>;
}

async function fetchReport(id: string, accept: string, signal?: AbortSignal): Promise<Response> {
  const address = `/api/v1/runs/${encodeURIComponent(id)}/report`;
  const response = await received(fetch(address, { headers: { accept }, signal }));
  if (!response.ok) throw await refused(response);
  return response;
}

/** @throws {ProblemError} `not_found` for a run that ended before it had one. */
export const reportOf = async (id: string, signal?: AbortSignal): Promise<RunReport> =>
  (await jsonOf(await fetchReport(id, 'application/json', signal))) as RunReport;

/** The same as Markdown, for reading and keeping. */
export const reportMarkdownOf = async (id: string, signal?: AbortSignal): Promise<string> =>
  received((await fetchReport(id, 'text/markdown', signal)).text());
