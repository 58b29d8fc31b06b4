import { Module } from '@nestjs/common';
import { OrganizationPartsController } from './organization/organization-parts.controller';
import { OrganizationsModule } from './organizations.module';

/** Its route `/{slug}/{part}` follows every other route below an organization. */
@Module({ imports: [OrganizationsModule], controllers: [OrganizationPartsController] })
export class OrganizationPartsModule {}
