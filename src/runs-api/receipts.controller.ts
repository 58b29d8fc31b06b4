import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiExtraModels, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, Public } from '../infrastructure/http';
import { checkReceipt, type ReceiptKey, ReceiptKeys, type SignedReceipt } from '../runs/receipts';
import { ReceiptCheckDto, ReceiptPartDto, SignedReceiptDto } from './receipt.dto';
import { ReceiptViews } from './receipt-views.service';

@ApiTags('Receipts')
@ApiExtraModels(ReceiptPartDto)
@Controller()
export class ReceiptsController {
  constructor(
    private readonly views: ReceiptViews,
    private readonly keys: ReceiptKeys,
  ) {}

  @Get('api/v1/runs/:id/receipt')
  @Access({
    scope: 'chat',
    summary: 'Signed receipt of the run',
    description:
      'The question, assistant, version, model, parameters, passages, checks and answer, as hashes. The asker, editors ' +
      'of the assistant and administrators each get their parts; every selection verifies. Without the scope `read`, ' +
      'own runs only.',
  })
  @ApiOkResponse({ type: SignedReceiptDto })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<SignedReceipt> {
    return this.views.of(caller, id);
  }

  @Post('api/v1/receipts/verify')
  @HttpCode(200)
  @Access({
    scope: 'chat',
    summary: 'Verify a receipt',
    description: 'Also possible offline, with the public keys alone (docs/guide/receipts.md).',
  })
  @ApiBody({ type: SignedReceiptDto })
  async verify(@Body() given: unknown): Promise<ReceiptCheckDto> {
    return checkReceipt(given, await this.keys.published());
  }

  @Get('.well-known/bellwether-receipt-keys.json')
  @Header('Cache-Control', 'public, max-age=300')
  @Public('Public keys of receipts')
  @ApiExcludeEndpoint()
  async published(): Promise<{ keys: readonly ReceiptKey[] }> {
    return { keys: await this.keys.published() };
  }
}
