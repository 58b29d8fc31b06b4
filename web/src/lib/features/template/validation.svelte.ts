import { api, must, type Schema } from '$lib/kit/api/client';
import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import type { Diagnostic } from '$lib/app/catalogues/assistant';

type Definition = Schema<'ValidateDefinitionDto'>;

const WAIT_MS = 300;
const NONE: readonly Diagnostic[] = [];

/**
 * Diagnostics of the service on a definition while it is edited: asked when 300 ms passed without a change, a question
 * that is overtaken is given up. Made in a component: `const validation = new Validation(() => ({ metadata, template
 * }))`.
 */
export class Validation {
  diagnostics = $state.raw<readonly Diagnostic[]>(NONE);
  /** The diagnostics are not yet those of what is on the screen. */
  pending = $state(false);
  /** Why the service could not be asked; the last diagnostics stay. */
  error = $state.raw<unknown>(null);
  /** The service has answered before. */
  known = $state(false);
  private again = $state(0);

  /** `definition` is read reactively; null asks nothing. */
  constructor(definition: () => Definition | null) {
    // As text: what is asked again is only what differs.
    const question = $derived(JSON.stringify(definition()));
    $effect(() => {
      void this.again;
      const asked = JSON.parse(question) as Definition | null;
      if (asked === null) {
        this.diagnostics = NONE;
        this.pending = false;
        return undefined;
      }
      const abort = new AbortController();
      this.pending = true;
      const timer = setTimeout(() => void this.ask(asked, abort.signal), WAIT_MS);
      return () => {
        clearTimeout(timer);
        abort.abort();
      };
    });
  }

  retry(): void {
    this.again += 1;
  }

  private async ask(body: Definition, signal: AbortSignal): Promise<void> {
    try {
      const { diagnostics, material } = must(await api.POST('/api/v1/assistants/validate', { body, signal }));
      if (signal.aborted) return;
      catalogues.lend(material);
      this.diagnostics = diagnostics;
      this.known = true;
      this.error = null;
      this.pending = false;
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
      this.pending = false;
    }
  }
}
