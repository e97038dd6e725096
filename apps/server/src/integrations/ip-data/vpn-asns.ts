const largestAsn = 0xffff_ffff;

/** One AS number per line, what follows a comma is for people; `#` begins a comment. */
export const readVpnAsns = async (path: string): Promise<Set<number>> => {
  const asns = new Set<number>();
  const lines = (await Bun.file(path).text()).split('\n');
  for (const [index, line] of lines.entries()) {
    const [field = ''] = line.replace(/#.*$/, '').split(',');
    const text = field.trim().replace(/^"(.*)"$/, '$1');
    if (text === '' || (asns.size === 0 && text.toLowerCase() === 'asn')) continue;
    const digits = text.match(/^(?:AS)?(\d{1,10})$/i)?.[1];
    const asn = Number(digits);
    if (digits === undefined || asn < 1 || asn > largestAsn) {
      throw new Error(`line ${index + 1} does not begin with an AS number`);
    }
    asns.add(asn);
  }
  return asns;
};
