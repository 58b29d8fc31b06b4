import { builtInFormat, displayedNumber } from './number-format';

describe('a stored number as the workbook displays it', () => {
  it.each([
    [46_278, 'yyyy-mm-dd', '2026-09-13'],
    [46_278.75, 'd mmm yyyy h:mm AM/PM', '13 Sep 2026 6:00 PM'],
    [46_278.5, 'dddd, d "of" mmmm', 'Sunday, 13 of September'],
    [1.5, '[h]:mm', '36:00'],
    [0.25, 'h:mm:ss', '6:00:00'],
    [0.405, '0%', '41%'],
    [0.405, '0.0#%', '40.5%'],
    [1234.5, '#,##0.00 "€"', '1,234.50 €'],
    [1234.5, '[$€-2] #,##0.00', '€ 1,234.50'],
    [-3, '0.0;[Red](0.0)', '(3.0)'],
    [-3, '0.0', '-3.0'],
    [0, '0;-0;"none"', 'none'],
    [7, '"Q0 "0', 'Q0 7'],
    [0.1 + 0.2, 'General', '0.3'],
    [123_456_789_012, 'General', '123456789010'],
    [5, '0.00E+00', '5'],
    [9e9, 'yyyy', '9000000000'],
  ])('%d as %s', (value, format, text) => expect(displayedNumber(value, format, 1900)).toBe(text));

  it('counts days from 1904 where the workbook does', () => {
    expect(displayedNumber(0, 'yyyy-mm-dd', 1904)).toBe('1904-01-01');
  });

  it('knows the formats that are built in', () => {
    expect([14, 10, 0, 163].map(builtInFormat)).toEqual(['yyyy-mm-dd', '0.00%', 'General', 'General']);
  });
});
