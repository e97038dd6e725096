import { PageHead } from '../../parts/page-head.tsx';

export const ServerHome = () => <PageHead title="ServerHome" />;
