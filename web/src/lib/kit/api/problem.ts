import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { codeText } from './reasons';

export interface FieldProblem {
  /** JSON path in the request, e.g. `metadata.tools[1].config.top_k`. */
  readonly path: string;
  readonly message: string;
  /** Diagnostic code when the server gave one. */
  readonly code?: string;
  /** Values that the message of `code` names. */
  readonly values?: Readonly<Record<string, string | number>>;
}

/** Why exactly, as a code with the values that its text names. */
export interface Reason {
  readonly code: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** An answer that was no success: RFC 9457 problem details of the service, or what stood in their way. */
export class ProblemError extends Error {
  constructor(
    /** HTTP status; 0 when no answer came. */
    readonly status: number,
    /** Stable code of docs/reference/errors.md, or what this page finds out by itself (`offline`, `unexpected_answer`). */
    readonly code: string,
    /** The service's words, in English. */
    readonly detail: string,
    readonly errors: readonly FieldProblem[] = [],
    readonly requestId: string | null = null,
    readonly reason: Reason | null = null,
  ) {
    super(detail);
    this.name = 'ProblemError';
  }

  /** Why exactly, in the reader's language; null where the service gave no reason or this page has no text for it. */
  get exactly(): string | null {
    return this.reason === null ? null : codeText(this.reason.code, this.reason.values);
  }

  /** Text in the reader's language; the service's own words where there are none. */
  get text(): string {
    return this.exactly ?? i18n.maybe(`errors.${this.code}`) ?? this.detail;
  }

  /** There is no text in the reader's language: `text` is the service's English. */
  get isForeign(): boolean {
    return this.exactly === null && i18n.maybe(`errors.${this.code}`) === null;
  }
}

interface ProblemBody {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly title?: unknown;
  readonly errors?: unknown;
  readonly reason?: unknown;
  readonly values?: unknown;
  readonly request_id?: unknown;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The error of a response that is not ok; reads its body. */
export async function problemOf(response: Response): Promise<ProblemError> {
  let body: ProblemBody = {};
  try {
    body = (await response.clone().json()) as ProblemBody;
  } catch {
    // A proxy's page, or nothing: the status has to do.
  }
  return new ProblemError(
    response.status,
    textOf(body.code) ?? `http_${response.status}`,
    textOf(body.detail) ?? textOf(body.title) ?? `HTTP ${response.status}`,
    Array.isArray(body.errors) ? (body.errors as FieldProblem[]) : [],
    textOf(body.request_id) ?? response.headers.get('x-request-id'),
    typeof body.reason === 'string' ? { code: body.reason, values: (body.values ?? {}) as Reason['values'] } : null,
  );
}

/** A failed `import()` in the words of Chromium and Firefox, of Safari, and of Vite for styles; none gives it a type. */
const MISSING_PART = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Whatever was thrown, as a problem that can be shown. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ProblemError(0, MISSING_PART.test(message) ? 'page_part_missing' : 'unexpected', message);
}
