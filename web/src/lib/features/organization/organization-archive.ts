import { api } from '$lib/kit/api/client';

/** Downloads everything of an organization. */
export async function downloadOrganization(slug: string): Promise<void> {
  const params = { path: { slug } };
  const { data } = await api.POST('/api/v1/organizations/{slug}/data-export', { params, parseAs: 'blob' });
  (await import('$lib/kit/api/save-blob')).saveBlob(data as Blob, `${slug}.zip`);
}
