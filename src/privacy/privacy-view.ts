import { reportText } from './erasure/erasure-report';
import type { ErasurePlan, ErasureRequest, Subject } from './erasure/erasure.types';
import type { ErasureDto, ErasurePersonDto, ErasurePlanDto } from './privacy.dto';

const personOf = ({ userId, email, name }: Subject): ErasurePersonDto => ({ user_id: userId, email, name });

export const planView = ({
  subject,
  heir,
  unshared,
  content,
  counts,
  kept,
  problems,
}: ErasurePlan): ErasurePlanDto => ({
  person: personOf(subject),
  heir: heir === null ? null : personOf(heir),
  unshared,
  handed_over: [...content.handOver],
  deleted: [...content.delete],
  counts,
  kept: [...kept],
  problems: [...problems],
});

export const erasureView = (request: ErasureRequest): ErasureDto => ({
  id: request.id,
  state: request.state,
  user_id: request.subjectId,
  requested_by: request.requestedBy,
  heir_id: request.heirId,
  unshared: request.unshared,
  failure: request.failure,
  report: request.report === null ? null : { ...request.report, kept: [...request.report.kept] },
  report_text: request.report === null ? null : reportText(request.report),
  created_at: request.createdAt.toISOString(),
  finished_at: request.finishedAt?.toISOString() ?? null,
});
