import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../../organizations';
import { ReceiptKeyRepository } from './receipt-key.repository';
import { ReceiptKeys } from './receipt-keys.service';

@Module({ imports: [OrganizationsModule], providers: [ReceiptKeyRepository, ReceiptKeys], exports: [ReceiptKeys] })
export class ReceiptsModule {}
