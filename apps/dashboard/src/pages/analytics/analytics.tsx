import { PageHead } from '../../parts/page-head.tsx';

export const Analytics = () => <PageHead title="Analytics" />;
