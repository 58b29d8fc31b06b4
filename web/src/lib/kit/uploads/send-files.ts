import { idempotencyKey, jsonOf, refused } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';

export interface FileToSend {
  readonly name: string;
  readonly file: File;
}

interface SendOptions {
  readonly onprogress: (sent: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Uploads files in one request; `fetch` reports no progress of a body, XHR does. Throws a `ProblemError`, or `AbortError`. */
export function sendFiles<Answer>(
  url: string,
  files: readonly FileToSend[],
  { onprogress, signal }: SendOptions,
): Promise<Answer> {
  const form = new FormData();
  for (const { name, file } of files) form.append('files', file, name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    const settle = (then: () => void): void => {
      signal.removeEventListener('abort', abort);
      then();
    };
    request.upload.addEventListener('progress', ({ loaded, total }) => onprogress(loaded, total));
    request.addEventListener('load', () => settle(() => void answerOf<Answer>(request).then(resolve, reject)));
    request.addEventListener('error', () => settle(() => reject(new ProblemError(0, 'offline', 'No answer'))));
    request.addEventListener('abort', () => settle(() => reject(new DOMException('Aborted', 'AbortError'))));
    signal.addEventListener('abort', abort);
    request.open('POST', url);
    request.setRequestHeader('Idempotency-Key', idempotencyKey());
    request.setRequestHeader('Accept', 'application/json');
    request.send(form);
    if (signal.aborted) abort();
  });
}

async function answerOf<Answer>(request: XMLHttpRequest): Promise<Answer> {
  const requestId = request.getResponseHeader('x-request-id');
  const response = new Response(request.responseText || null, {
    status: request.status,
    headers: requestId === null ? {} : { 'x-request-id': requestId },
  });
  if (response.ok) return (await jsonOf(response)) as Answer;
  throw await refused(response);
}
