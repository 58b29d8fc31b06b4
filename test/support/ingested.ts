import { filesForm } from './app';
import type { Person } from './people';

const PATIENCE_MS = 30_000;

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
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { items } = (await who.api('GET', `${to}?limit=100`)).json;
    const open = items.filter(
      (item: { id: string; status: string }) => wanted.has(item.id) && item.status !== 'completed',
    );
    if (open.length === 0) return;
    const failed = open.find((item: { status: string }) => item.status === 'failed');
    if (failed !== undefined || Date.now() > deadline) throw new Error(`Not ingested: ${JSON.stringify(open[0])}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
