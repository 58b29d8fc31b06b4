import { Injectable } from '@nestjs/common';
import { type Transaction, withinOrganization } from '../../../src/infrastructure/database';
import { SecretsService } from '../../../src/infrastructure/secrets';
import type { BridgeEntity } from './bridge.entity';
import type { BridgeKeyEntity } from './bridge-key.entity';

const OF_ASSISTANTS = 'lti_bridges.assistant_secret';
const fieldOf = (keyId: string): string => `lti_bridge_keys.${keyId}`;

/** Secrets of consumer keys. */
@Injectable()
export class BridgeSecrets {
  constructor(private readonly secrets: SecretsService) {}

  sealOfAssistants(organizationId: string, plain: string, tx: Transaction): Promise<string> {
    return this.secrets.seal(organizationId, OF_ASSISTANTS, plain, tx);
  }

  seal(organizationId: string, keyId: string, plain: string, tx: Transaction): Promise<string> {
    return this.secrets.seal(organizationId, fieldOf(keyId), plain, tx);
  }

  /** The key's own secret; null for none. @throws {AppError} `secret_unavailable` */
  async own({ organizationId, id, secret }: BridgeKeyEntity, tx?: Transaction): Promise<string | null> {
    return secret === null ? null : this.secrets.open(organizationId, fieldOf(id), secret, tx);
  }

  /** The secret that signs launches with the key; null for none. @throws {AppError} `secret_unavailable` */
  of(bridge: BridgeEntity, key: BridgeKeyEntity): Promise<string | null> {
    const { organizationId, assistantSecret } = bridge;
    return withinOrganization(organizationId, async () => {
      if (key.kind !== 'assistant') return this.own(key);
      return assistantSecret === null ? null : this.secrets.open(organizationId, OF_ASSISTANTS, assistantSecret);
    });
  }
}
