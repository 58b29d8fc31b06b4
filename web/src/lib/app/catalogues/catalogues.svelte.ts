import { api, must, type Schema } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';
import { ClassicProcessors } from './classic-processors';
import { fetched } from './fetched';
import type { ConnectorInfo, OrchestratorInfo, ToolInfo } from './assistant';

type KnowledgeBase = Schema<'KnowledgeBaseDto'>;
type Rubric = Schema<'RubricDto'>;
type UploadedFile = Schema<'FileDto'>;

/** Material that the assistant reads with its owner's access and the editor cannot open. */
type LentMaterial = Schema<'AssistantMaterialDto'>;

/** The lists that forms choose from. Each is fetched once and kept until `forgetCatalogues`; the next call repeats a failed fetch. */
class Catalogues {
  private known = $state.raw<readonly ToolInfo[]>([]);
  /** Lent material of the assistant being edited. */
  lent = $state.raw<readonly LentMaterial[]>([]);
  private processing = $state.raw(new ClassicProcessors([], []));

  /** The same again changes nothing: choices would be fetched anew. */
  lend(material: readonly LentMaterial[]): void {
    const isKnown = ({ reference, name }: LentMaterial, at: number): boolean =>
      this.lent[at]?.reference === reference && this.lent[at]?.name === name;
    if (material.length !== this.lent.length || !material.every(isKnown)) this.lent = material;
  }

  tools(): Promise<readonly ToolInfo[]> {
    return this.keep('tools', async () => (this.known = must(await api.GET('/api/v1/tools')).tools));
  }

  /** A tool of the catalogue that was fetched last. */
  knownTool(name: string, kind: ToolInfo['kind'] = 'pipeline'): ToolInfo | undefined {
    return this.known.find((tool) => tool.name === name && tool.kind === kind);
  }

  connectors(): Promise<readonly ConnectorInfo[]> {
    return this.keep('connectors', async () => must(await api.GET('/api/v1/connectors')).connectors);
  }

  /** Name of the embedding model that the service runs itself. */
  modelFolder(): Promise<string | null> {
    return this.keep('model folder', async () => must(await api.GET('/api/v1/connectors')).model_folder);
  }

  orchestrators(): Promise<readonly OrchestratorInfo[]> {
    return this.keep('orchestrators', async () => must(await api.GET('/api/v1/orchestrators')).orchestrators);
  }

  processors(): Promise<ClassicProcessors> {
    return this.keep('processors', async () => {
      const [prompt, rag] = await Promise.all([
        api.GET('/api/v1/prompt-processors'),
        api.GET('/api/v1/rag-processors'),
      ]);
      return (this.processing = new ClassicProcessors(must(prompt).prompt_processors, must(rag).rag_processors));
    });
  }

  /** The processors that were fetched last; empty before. */
  get knownProcessors(): ClassicProcessors {
    return this.processing;
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

  private keep<Value>(name: string, load: () => Promise<Value>): Promise<Value> {
    const known = fetched.get(name) as Promise<Value> | undefined;
    if (known !== undefined) return known;
    const loading = load();
    fetched.set(name, loading);
    loading.catch(() => {
      // A newer one of this name may be under way by then.
      if (fetched.get(name) === loading) fetched.delete(name);
    });
    return loading;
  }
}

export const catalogues = new Catalogues();
