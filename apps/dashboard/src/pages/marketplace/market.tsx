import { PageHead } from '../../parts/page-head.tsx';

export const Market = () => <PageHead title="Market" />;
