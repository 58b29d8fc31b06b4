import { api, idempotencyKey, jsonOf, must, received, refused, type Schema } from '$lib/kit/api/client';
import type { Page, PageQuery } from '$lib/kit/api/pages';
import type { Assistant } from '$lib/app/catalogues/assistant';

export type ImportPlan = Schema<'ImportPlanDto'>;
export type Share = Schema<'ShareViewDto'>;
export type Version = Schema<'VersionDto'>;
export type VersionDetail = Schema<'VersionDetailDto'>;

export async function duplicate({ id }: Assistant): Promise<Assistant> {
  return must(
    await api.POST('/api/v1/assistants/{id}/duplicate', {
      params: { path: { id }, header: { 'Idempotency-Key': idempotencyKey() } },
      body: {},
    }),
  );
}

export async function remove({ id, version }: Assistant): Promise<void> {
  await api.DELETE('/api/v1/assistants/{id}', {
    params: { path: { id }, header: { 'if-match': `"${version}"` } },
  });
}

/** `reason`: why it is published although its tests do not pass. */
export async function publish({ id }: Assistant, published: boolean, reason = ''): Promise<Assistant> {
  const params = { path: { id } };
  return must(
    published
      ? await api.PUT('/api/v1/assistants/{id}/publication', {
          params,
          body: reason === '' ? {} : { override_tests: reason },
        })
      : await api.DELETE('/api/v1/assistants/{id}/publication', { params }),
  );
}

/** Makes a saved version the one that people get. */
export async function publishVersion({ id }: Assistant, version: number): Promise<Assistant> {
  const params = { path: { id } };
  return must(await api.PUT('/api/v1/assistants/{id}/publication', { params, body: { version } }));
}

/** Switched off nobody runs it, its owner included. */
export async function suspend({ id }: Assistant, off: boolean): Promise<Assistant> {
  const params = { path: { id } };
  if (off) await api.PUT('/api/v1/assistants/{id}/suspension', { params });
  else await api.DELETE('/api/v1/assistants/{id}/suspension', { params });
  return readAssistant(id);
}

/** Whether assistants of other organizations may call it. */
export async function publishEverywhere({ id }: Assistant, everywhere: boolean): Promise<Assistant> {
  const params = { path: { id } };
  if (everywhere) await api.PUT('/api/v1/assistants/{id}/publication/everywhere', { params });
  else await api.DELETE('/api/v1/assistants/{id}/publication/everywhere', { params });
  return readAssistant(id);
}

export async function sharesOf({ id }: Assistant): Promise<readonly Share[]> {
  return must(await api.GET('/api/v1/assistants/{id}/shares', { params: { path: { id } } })).shares;
}

export async function saveShares({ id }: Assistant, shares: Schema<'ShareDto'>[]): Promise<readonly Share[]> {
  return must(await api.PUT('/api/v1/assistants/{id}/shares', { params: { path: { id } }, body: { shares } })).shares;
}

export async function versionsOf(id: number, query: PageQuery): Promise<Page<Version>> {
  return must(await api.GET('/api/v1/assistants/{id}/versions', { params: { path: { id }, query } }));
}

export async function versionOf({ id }: Assistant, version: number): Promise<VersionDetail> {
  return must(await api.GET('/api/v1/assistants/{id}/versions/{version}', { params: { path: { id, version } } }));
}

export async function restore({ id, version }: Assistant, wanted: number): Promise<Assistant> {
  return must(
    await api.POST('/api/v1/assistants/{id}/versions/{version}/restore', {
      params: {
        path: { id, version: wanted },
        header: { 'if-match': `"${version}"`, 'Idempotency-Key': idempotencyKey() },
      },
    }),
  );
}

export async function readAssistant(id: number): Promise<Assistant> {
  return must(await api.GET('/api/v1/assistants/{id}', { params: { path: { id } } }));
}

/** Saves the export as a file of the browser. */
export async function downloadExport({ id, name }: Assistant): Promise<void> {
  const exported = must(await api.GET('/api/v1/assistants/{id}/export', { params: { path: { id } } }));
  const url = URL.createObjectURL(new Blob([JSON.stringify(exported, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${fileName(name)}.assistant.json`;
  link.click();
  // The download has begun by the next turn; what it reads from has to outlive that.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Letters, digits and dashes of a name: every file system takes them. */
export const fileName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 80)
    .toLowerCase() || 'assistant';

/** Plan of an import; writes nothing. `into` is the assistant whose definition it replaces. */
export const planImport = async (body: unknown, into: Assistant | null): Promise<ImportPlan> =>
  (await sendImport(body, into, true)) as ImportPlan;

export const runImport = async (body: unknown, into: Assistant | null): Promise<Assistant> =>
  (await sendImport(body, into, false)) as Assistant;

async function sendImport(body: unknown, into: Assistant | null, isTrial: boolean): Promise<unknown> {
  const query = new URLSearchParams({
    dry_run: String(isTrial),
    ...(into === null ? {} : { into: String(into.id) }),
  });
  const init = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(isTrial ? {} : { 'Idempotency-Key': idempotencyKey() }),
      ...(into === null ? {} : { 'If-Match': `"${into.version}"` }),
    },
    body: JSON.stringify(body),
  };
  const response = await received(fetch(`/api/v1/assistants/import?${query}`, init));
  if (!response.ok) throw await refused(response);
  return jsonOf(response);
}
