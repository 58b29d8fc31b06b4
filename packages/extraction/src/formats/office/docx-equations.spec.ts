import { withEquations } from './docx';

const r = (text: string): string => `<m:r><w:rPr><w:i/></w:rPr><m:t>${text}</m:t></m:r>`;
const latex = (inner: string): string | undefined =>
  /<w:t xml:space="preserve">(.*)<\/w:t>/s.exec(withEquations(`<w:p><m:oMath>${inner}</m:oMath></w:p>`))?.[1];

describe('withEquations', () => {
  it.each([
    ['a run', r('a=b'), '$a=b$'],
    [
      'a fraction',
      `<m:f><m:fPr><m:ctrlPr/></m:fPr><m:num>${r('a')}</m:num><m:den>${r('b+1')}</m:den></m:f>`,
      '$\\frac{a}{b+1}$',
    ],
    ['a power', `<m:sSup><m:e>${r('x')}</m:e><m:sup>${r('2')}</m:sup></m:sSup>`, '$x^2$'],
    ['an index', `<m:sSub><m:e>${r('x')}</m:e><m:sub>${r('i+1')}</m:sub></m:sSub>`, '$x_{i+1}$'],
    ['a root', `<m:rad><m:deg/><m:e>${r('x')}</m:e></m:rad>`, '$\\sqrt{x}$'],
    ['a cube root', `<m:rad><m:deg>${r('3')}</m:deg><m:e>${r('xy')}</m:e></m:rad>`, '$\\sqrt[3]{xy}$'],
    [
      'a sum',
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup><m:e>${r('i')}</m:e></m:nary>`,
      '$\\sum _{i=1}^ni$',
    ],
    ['brackets', `<m:d><m:dPr/><m:e>${r('a+b')}</m:e></m:d>`, '$({a+b})$'],
    ['a function', `<m:func><m:fName>${r('sin')}</m:fName><m:e>${r('x')}</m:e></m:func>`, '$\\sin x$'],
    ['letters in mathematical italics', r('𝑥'), '$x$'],
    ['structures named like what every object has', `<m:constructor>${r('x')}</m:constructor>`, '$x$'],
    [
      'a sign named like what every object has',
      `<m:nary><m:naryPr><m:chr m:val="toString"/></m:naryPr><m:e>${r('i')}</m:e></m:nary>`,
      '$toString i$',
    ],
    [
      'properties without content in front of others',
      `<m:f><m:fPr m:val="bar"/><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f><m:f><m:fPr><m:ctrlPr/></m:fPr><m:num>${r('c')}</m:num><m:den>${r('d')}</m:den></m:f>`,
      '$\\frac{a}{b}\\frac{c}{d}$',
    ],
    ['signs of XML', r('a &lt; b'), '$a &lt; b$'],
  ])('%s', (_, inner, expected) => expect(latex(inner)).toBe(expected));

  it('finds equations that stand alone', () => {
    const xml = `<m:oMathPara><m:oMathParaPr><m:jc m:val="left"/></m:oMathParaPr><m:oMath>${r('x')}</m:oMath></m:oMathPara>`;
    expect(withEquations(xml)).toBe('<w:r><w:t xml:space="preserve">$x$</w:t></w:r>');
  });

  it('leaves everything else alone, also an equation that is cut off', () => {
    expect(withEquations('<w:p>a</w:p>')).toBe('<w:p>a</w:p>');
    expect(withEquations('<w:p>a<m:oMath>b</w:p>')).toBe('<w:p>a<m:oMath>b</w:p>');
  });
});
