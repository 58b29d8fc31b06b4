export { Admission, type LeavePlace } from './admission';
export { AdmissionModule } from './admission.module';
