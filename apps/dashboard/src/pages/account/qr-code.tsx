import { encode } from 'uqr';

type QrCodeProps = { text: string; label: string };

/** Dark on white whatever the colours of the page: cameras want it so. */
export const QrCode = ({ text, label }: QrCodeProps) => {
  const { size, data } = encode(text, { border: 2 });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={darkSquares(data)} fill="#000" />
    </svg>
  );
};

const darkSquares = (rows: boolean[][]): string =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
