import { daysUntil, LocalTime } from './report-periods.service';

const at = (timeZone: string, time: string) => new LocalTime(timeZone).at(Date.parse(time));

describe('days and hours of a time zone', () => {
  it.each([
    ['UTC', '2026-11-25T23:30:00Z', '2026-11-25', 23],
    ['Europe/Madrid', '2026-11-25T23:30:00Z', '2026-11-26', 0],
    ['Europe/Madrid', '2026-07-01T21:59:00Z', '2026-07-01', 23],
    ['Asia/Kathmandu', '2026-01-01T18:20:00Z', '2026-01-02', 0],
    ['America/Lima', '2026-01-01T04:59:59Z', '2025-12-31', 23],
  ])('%s %s', (timeZone, time, day, hour) => {
    expect(at(timeZone, time)).toEqual({ day, hour });
  });

  it('are counted back over the ends of months', () => {
    expect(daysUntil('2026-03-01', 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });
});
