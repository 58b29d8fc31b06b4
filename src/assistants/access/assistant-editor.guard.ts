import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { BellwetherRequest } from '../../platform/http';
import { AssistantIdPipe } from './assistant-id.pipe';
import { AssistantLookup } from './assistant-lookup';

/** A repeated request gets its first answer without the handler, so who may still edit the assistant is asked before. */
@Injectable()
export class AssistantEditorGuard implements CanActivate {
  private readonly ids = new AssistantIdPipe();

  constructor(private readonly lookup: AssistantLookup) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller, headers, params } = context.switchToHttp().getRequest<BellwetherRequest>();
    if (headers['idempotency-key'] === undefined) return true;
    if (caller === undefined) return false;
    await this.lookup.configurable(caller, this.ids.transform(String(params.id)));
    return true;
  }
}
