import { filesForm } from './app';
import type { Person } from './people';
import { until } from './until';

/** Uploads files and waits until they answer. Throws when one fails. */
export async function ingested(
  who: Person,
  knowledgeBaseId: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  const to = `/api/v1/knowledge-bases/${knowledgeBaseId}/documents`;
  const { status, text, json } = await who.api('POST', to, filesForm(...Object.entries(files)));
  if (status !== 201 && status !== 202) throw new Error(`Upload: ${status} ${text}`);
  const wanted = new Set<string>(json.items.map(({ id }: { id: string }) => id));
  await until(async () => {
    const { items } = (await who.api('GET', `${to}?limit=100`)).json as { items: { id: string; status: string }[] };
    const open = items.filter(({ id, status }) => wanted.has(id) && status !== 'completed');
    const failed = open.find(({ status }) => status === 'failed');
    if (failed !== undefined) throw new Error(`Not ingested: ${JSON.stringify(failed)}`);
    return open.length === 0;
  });
}
