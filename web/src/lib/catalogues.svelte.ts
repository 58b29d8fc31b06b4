import { api, must, type Schema } from '$lib/api/client';
import type { ConnectorInfo, OrchestratorInfo, ToolInfo } from '$lib/assistants/definition';

type KnowledgeBase = Schema<'KnowledgeBaseDto'>;
type Rubric = Schema<'RubricDto'>;
type UploadedFile = Schema<'FileDto'>;

const PAGE = 100;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** All items of a paged list, up to `limit`. */
export async function allOf<Item>(
  page: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
  limit = 2_000,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const found: Page<Item> = await page({ limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    items.push(...found.items);
    cursor = found.next_cursor;
  } while (cursor !== null && items.length < limit);
  return items;
}

/** What forms choose from. Each list is fetched once and kept until `forget`; a failed fetch is tried again on the next call. */
class Catalogues {
  private readonly kept = new Map<string, Promise<unknown>>();

  tools(): Promise<readonly ToolInfo[]> {
    return this.keep('tools', async () => must(await api.GET('/api/v1/tools')).tools);
  }

  connectors(): Promise<readonly ConnectorInfo[]> {
    return this.keep('connectors', async () => must(await api.GET('/api/v1/connectors')).connectors);
  }

  orchestrators(): Promise<readonly OrchestratorInfo[]> {
    return this.keep('orchestrators', async () => must(await api.GET('/api/v1/orchestrators')).orchestrators);
  }

  knowledgeBases(): Promise<readonly KnowledgeBase[]> {
    return this.keep('knowledge-bases', () =>
      allOf(async (query) => must(await api.GET('/api/v1/knowledge-bases', { params: { query } }))),
    );
  }

  rubrics(): Promise<readonly Rubric[]> {
    return this.keep('rubrics', () =>
      allOf(async (query) => must(await api.GET('/api/v1/rubrics', { params: { query } }))),
    );
  }

  files(): Promise<readonly UploadedFile[]> {
    return this.keep('files', () =>
      allOf(async (query) => must(await api.GET('/api/v1/files', { params: { query } }))),
    );
  }

  /** Fetches again next time: after a change, or for somebody else. */
  forget(): void {
    this.kept.clear();
  }

  private keep<Value>(name: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.kept.get(name) as Promise<Value> | undefined;
    if (known !== undefined) return known;
    const loading = load();
    this.kept.set(name, loading);
    loading.catch(() => this.kept.delete(name));
    return loading;
  }
}

export const catalogues = new Catalogues();
