import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { BellwetherRequest } from '../../infrastructure/http';
import { AssistantIdPipe } from './assistant-id.pipe';
import { AssistantLookup } from './assistant-lookup';

/** The idempotency layer answers a repeated request without the handler, so the right to edit is checked first. */
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
