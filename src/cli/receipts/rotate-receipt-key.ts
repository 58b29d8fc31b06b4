import type { Config } from '../../infrastructure/config';
import { ReceiptKeys } from '../../runs/receipts';
import { withApplication } from '../context';
import type { CommandResult } from '../../infrastructure/commands';

export const rotateReceiptKey = (config: Config): Promise<CommandResult> =>
  withApplication(config, 'institution', async (context) => {
    const kid = await context.get(ReceiptKeys, { strict: false }).rotate();
    return { text: `Key ${kid} signs receipts within a minute. Earlier receipts stay valid.`, data: { key_id: kid } };
  });
