/** An anchor's ring and its hold. */
export const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
    <g
      fill="none"
      stroke="var(--mantine-primary-color-filled)"
      strokeWidth="3"
      strokeLinecap="round"
    >
      <circle cx="16" cy="7" r="3.5" />
      <path d="M16 11v16M10 15h12M5 19c1 6 6 9 11 9s10-3 11-9" />
    </g>
  </svg>
);
