import {
  AppError,
  type Caller,
  invalid,
  isUuid,
  notFound,
  type PageRequest,
  type Problem,
  uuidv7,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { OrganizationsService } from '../../../../src/organizations';
import { AuditLog } from '../../../../src/infrastructure/audit';
import { isUniqueViolation, type Transaction, Transactions } from '../../../../src/infrastructure/database';
import { ActivityAssistants } from '../../courses/activity-assistants.service';
import type { BridgeKeyEntity } from '../bridge-key.entity';
import { BridgeRepository } from '../bridge.repository';
import { BridgeSecrets } from '../bridge-secrets.service';
import type { BridgeKeyDto, BridgeKeyPageDto, CreateBridgeKeyDto, UpdateBridgeKeyDto } from './bridge-key.dto';

const TYPE = 'lti_bridge_key';

export interface KeysRequest {
  readonly caller: Caller;
  readonly slug: string;
}

/** Consumer keys of LTI 1.1, as administrators set them. */
@Injectable()
export class BridgeKeys {
  constructor(
    private readonly bridges: BridgeRepository,
    private readonly secrets: BridgeSecrets,
    private readonly assistants: ActivityAssistants,
    private readonly organizations: OrganizationsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  async list({ caller, slug }: KeysRequest, page: PageRequest): Promise<BridgeKeyPageDto> {
    const organizationId = await this.organizations.administered(caller, slug);
    const bridge = await this.bridges.within(organizationId).own();
    const found = await this.bridges.keysWithin(organizationId).page(page);
    const shares = bridge?.assistantSecret != null;
    return { ...found, items: found.items.map((key) => viewOf(key, shares)) };
  }

  /** @throws {AppError} `validation_failed`, `conflict` for a key that is there */
  async create({ caller, slug }: KeysRequest, input: CreateBridgeKeyDto): Promise<BridgeKeyDto> {
    const organizationId = await this.organizations.administered(caller, slug);
    await this.assertValid(organizationId, input);
    const { kind, consumer_key: consumerKey, secret, assistant_id: assistantId = null } = input;
    const write = (): Promise<BridgeKeyDto> =>
      this.transactions.once('lti_bridge_key.create', async (tx) => {
        const bridge = await this.bridges.within(organizationId, tx).ensure();
        const id = uuidv7();
        const sealed = secret === undefined ? null : await this.secrets.seal(organizationId, id, secret, tx);
        const keys = this.bridges.keysWithin(organizationId, tx);
        await keys.insert({ id, bridgeId: bridge.id, kind, consumerKey, secret: sealed, assistantId });
        const key = await keys.find(id);
        if (key === null) throw new Error('A key that was just made is missing');
        await this.record({ caller, slug }, 'create', key, tx);
        return viewOf(key, bridge.assistantSecret !== null);
      });
    return write().catch((error: unknown) => {
      if (!isUniqueViolation(error, 'lti_bridge_keys_key_uq')) throw error;
      throw new AppError('conflict', 'This consumer key is set up already', {
        problems: [{ path: 'consumer_key', message: 'is there already for this kind', code: 'value.taken' }],
      });
    });
  }

  /** Another secret. @throws {AppError} `not_found`, `validation_failed` for a key without a secret of its own */
  async update({ caller, slug }: KeysRequest, id: string, { secret }: UpdateBridgeKeyDto): Promise<BridgeKeyDto> {
    const organizationId = await this.organizations.administered(caller, slug);
    return this.transactions.run(async (tx) => {
      const key = await this.found(organizationId, id, tx);
      if (key.kind === 'assistant') throw invalid([OF_THE_BRIDGE]);
      const sealed = await this.secrets.seal(organizationId, id, secret, tx);
      await this.bridges.keysWithin(organizationId, tx).update(id, { secret: sealed });
      await this.record({ caller, slug }, 'update', { ...key, secret: sealed }, tx);
      return viewOf({ ...key, secret: sealed }, false);
    });
  }

  /** People, courses and activities of the key stay. @throws {AppError} `not_found` */
  async remove({ caller, slug }: KeysRequest, id: string): Promise<void> {
    const organizationId = await this.organizations.administered(caller, slug);
    await this.transactions.run(async (tx) => {
      const key = await this.found(organizationId, id, tx);
      await this.bridges.keysWithin(organizationId, tx).remove(id);
      await this.record({ caller, slug }, 'delete', key, tx);
    });
  }

  private async found(organizationId: string, id: string, tx: Transaction): Promise<BridgeKeyEntity> {
    const key = isUuid(id) ? await this.bridges.keysWithin(organizationId, tx).find(id) : null;
    if (key === null) throw notFound('Key');
    return key;
  }

  private async assertValid(
    organizationId: string,
    { kind, secret, assistant_id: id }: CreateBridgeKeyDto,
  ): Promise<void> {
    const problems: Problem[] = [];
    if (kind === 'assistant' && secret !== undefined) problems.push(OF_THE_BRIDGE);
    if (kind !== 'assistant' && id !== undefined) {
      problems.push({ ...NO_ASSISTANT, message: 'is for the kind assistant only' });
    } else if (id !== undefined) {
      const [stand] = await this.assistants.standOf(organizationId, [id]);
      if (stand?.state === 'missing') problems.push(NO_ASSISTANT);
    }
    if (problems.length > 0) throw invalid(problems);
  }

  private record({ caller }: KeysRequest, verb: string, key: BridgeKeyEntity, tx: Transaction): Promise<void> {
    const { id, organizationId, kind, consumerKey, assistantId } = key;
    const shown = {
      kind,
      consumer_key: consumerKey,
      assistant_id: assistantId,
      secret_configured: key.secret !== null,
    };
    const change = verb === 'delete' ? { before: shown } : { after: shown };
    return this.audit.record(
      { caller, organizationId, action: `${TYPE}.${verb}`, target: { type: TYPE, id }, ...change },
      tx,
    );
  }
}

const OF_THE_BRIDGE: Problem = {
  path: 'secret',
  message: 'keys of the kind assistant use assistant_secret of the bridge',
  code: 'bridge.shared_secret',
};
const NO_ASSISTANT: Problem = {
  path: 'assistant_id',
  message: 'is no assistant of the organization',
  code: 'bridge.no_assistant',
};

const viewOf = (key: BridgeKeyEntity, sharesSecret: boolean): BridgeKeyDto => ({
  id: key.id,
  kind: key.kind,
  consumer_key: key.consumerKey,
  assistant_id: key.assistantId,
  secret_configured: key.kind === 'assistant' ? sharesSecret : key.secret !== null,
  last_launch_at: key.lastLaunchAt?.toISOString() ?? null,
  created_at: key.createdAt.toISOString(),
});
