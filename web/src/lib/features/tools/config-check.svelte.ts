import { api, must } from '$lib/kit/api/client';
import type { FieldProblem } from '$lib/kit/api/problem';
import type { ToolInfo } from '$lib/app/catalogues/assistant';
import { type Config, type JsonSchema, withDefaults } from '$lib/features/schema-form/schema-form';

const PAUSE_MS = 300;

type CheckedTool = Pick<ToolInfo, 'name' | 'kind' | 'config_schema'>;

/** Has the service check a config a moment after its last change; an answer to an older config is never shown. */
export class ConfigCheck {
  /** Null until the service has been asked; also while it cannot be reached, for nothing is wrong with the config then. */
  problems = $state.raw<readonly FieldProblem[] | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | undefined;

  start(tool: CheckedTool, config: Config, done: (valid: boolean) => void = () => undefined): void {
    this.stop();
    this.timer = setTimeout(() => void this.ask(tool, config, done), PAUSE_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.running?.abort();
  }

  private async ask(
    { name, kind, config_schema }: CheckedTool,
    config: Config,
    done: (valid: boolean) => void,
  ): Promise<void> {
    const running = new AbortController();
    this.running = running;
    try {
      const { valid, errors } = must(
        await api.POST('/api/v1/tools/{name}/validate', {
          params: { path: { name }, query: { kind } },
          // Saving fills the same defaults in.
          body: withDefaults(config_schema as JsonSchema, config),
          signal: running.signal,
        }),
      );
      if (running.signal.aborted) return;
      this.problems = errors;
      done(valid);
    } catch {
      // Saving checks again, and tells why it cannot.
    }
  }
}
