import { PageHead } from '../../parts/page-head.tsx';

export const Orders = () => <PageHead title="Orders" />;
