export { Admission, type ReleaseSlot } from './admission';
export { AdmissionModule } from './admission.module';
