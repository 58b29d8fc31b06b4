import { createHmac, createSecretKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretsService } from '../infrastructure/secrets';

const LENGTH = 12;

/** Makes the pseudonym of an id. */
export type Pseudonymize = (id: string) => string;

/** Stands for people and keys in reports and lists of an organization that asks for it. */
@Injectable()
export class PersonPseudonyms {
  constructor(private readonly secrets: SecretsService) {}

  /** Pseudonyms are stable within an organization and differ between organizations. */
  async within(organizationId: string): Promise<Pseudonymize> {
    const { key: bytes } = await this.secrets.organizationKey(organizationId, 'usage-pseudonyms');
    const key = createSecretKey(bytes);
    return (id) => createHmac('sha256', key).update(id).digest('hex').slice(0, LENGTH);
  }
}
