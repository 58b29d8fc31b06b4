export { Erasures } from './erasure/erasures.service';
export { ErasurePlans } from './erasure/erasure-plan.service';
export { planText, reportText } from './erasure/erasure-report';
export { UNSHARED_CHOICES, type Unshared } from './erasure/erasure.types';
export { OrganizationExports } from './organization/export/organization-export.service';
export { exportToFolder } from './export/export-to-folder';
export { PersonExports } from './export/person-export.service';
export { zipStream } from './export/zip-stream';
export { PrivacyModule } from './privacy.module';
