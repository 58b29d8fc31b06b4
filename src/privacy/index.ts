export { ErasurePlans } from './erasure/erasure-plan.service';
export { planText, reportText } from './erasure/erasure-report';
export { UNSHARED_CHOICES, type Unshared } from './erasure/erasure.types';
export { Erasures } from './erasure/erasures.service';
export { PersonExports, exportToFolder } from './person-export.service';
export { OrganizationExports } from './organization/organization-export.service';
export { zipStream } from './person-data.service';
export { PrivacyModule } from './privacy.module';
