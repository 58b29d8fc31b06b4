import { AppError } from '../../kernel';
import type { OrganizationRuntime } from '../../organizations';

/**
 * The organization's secrets, which reports redact. A secret that cannot be decrypted is in no report, and must not stop
 * assistants that do not use it.
 */
export function secretsOf({ providers, knowledgeBase, moodle, mcpServers }: OrganizationRuntime): readonly string[] {
  const reads = [
    ...[...providers.values()].map((provider) => () => provider.apiKey),
    () => knowledgeBase?.apiToken ?? null,
    () => moodle?.token ?? null,
    ...[...mcpServers.values()].map((server) => () => server.token),
  ];
  return reads.map(opened).filter((secret) => secret !== null);
}

function opened(read: () => string | null): string | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'secret_unavailable') return null;
    throw error;
  }
}
