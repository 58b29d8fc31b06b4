import { jsonOf, received, refused, type Schema } from '$lib/api/client';
import type { Source } from './run-events';

/** A piece of the filled template: what its author wrote, or what stands in one of its slots. */
export interface PromptPart {
  /** Name of the slot, without braces; absent for the author's own text. */
  readonly slot?: string;
  /** Position in the assistant's tools of the tool that filled it. */
  readonly index?: number;
  /** Long contents are cut. */
  readonly text: string;
  /** Of the whole content, in UTF-16 units. */
  readonly chars: number;
}

/** What a run did, as `GET /api/v1/runs/{id}/report` tells it; who may not edit the assistant gets less. */
export interface RunReport {
  readonly orchestrator: string | null;
  readonly request: { readonly user_message: string };
  readonly tools: readonly {
    readonly index: number;
    readonly plugin: string;
    readonly placeholder: string | null;
    readonly enabled: boolean;
  }[];
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
